<?xml version="1.0" encoding="UTF-8"?>
<!-- Tables as GitHub's Markdown: those that the report shows. -->
<xsl:stylesheet version="1.0"
    xmlns:xsl="http://www.w3.org/1999/XSL/Transform"
    xmlns:view="urn:netbound:view" xmlns:nb="urn:netbound:style"
    exclude-result-prefixes="view nb">

  <view:wants rows="10000"/>

  <xsl:output method="text" encoding="UTF-8"/>

  <xsl:include href="parts/table_words.xsl"/>

  <xsl:template match="/view">
    <xsl:apply-templates select="report"/>
  </xsl:template>

  <xsl:template match="report">
    <xsl:if test="position() &gt; 1"><xsl:text>&#10;</xsl:text></xsl:if>
    <xsl:text>### </xsl:text>
    <xsl:value-of select="nb:markdown(normalize-space(@title))"/>
    <xsl:text>&#10;</xsl:text>
    <xsl:if test="@digest = 'broken'">
      <xsl:text>&#10;**The report was changed after it was written: its digest is broken.**&#10;</xsl:text>
    </xsl:if>
    <xsl:value-of select="concat('&#10;', nb:markdown(@question), '&#10;')"/>
    <xsl:apply-templates select="table[@shown != 'no']"/>
    <xsl:if test="note[@place = '']"><xsl:text>&#10;</xsl:text></xsl:if>
    <xsl:for-each select="note[@place = '']">
      <xsl:value-of select="concat('- ', nb:markdown(translate(@name, '_', ' ')),
                            ': ', nb:markdown(.), '&#10;')"/>
    </xsl:for-each>
  </xsl:template>

  <xsl:template match="table">
   <piece>
    <xsl:variable name="by"><xsl:apply-templates select="." mode="by"/></xsl:variable>
    <xsl:variable name="subject"><xsl:apply-templates select="." mode="subject"/></xsl:variable>
    <xsl:if test="@kind != 'quantities'">
      <xsl:value-of select="concat('&#10;**', nb:markdown($subject), '**',
                            nb:markdown($by), '&#10;')"/>
    </xsl:if>
    <xsl:text>&#10;|</xsl:text>
    <xsl:apply-templates select="column"/>
    <xsl:text>&#10;|</xsl:text>
    <xsl:for-each select="column">
      <xsl:choose>
        <xsl:when test="@side = 'right'"> ---: |</xsl:when>
        <xsl:otherwise> :--- |</xsl:otherwise>
      </xsl:choose>
    </xsl:for-each>
    <xsl:text>&#10;</xsl:text>
    <xsl:apply-templates select="row"/>
    <xsl:if test="@rows &gt; count(row)">
      <xsl:value-of select="concat('&#10;The first ', count(row), ' of ', @rows, ' rows.&#10;')"/>
    </xsl:if>
    <xsl:if test="source and not(column[@name = 'source'])">
      <xsl:text>&#10;Sources: </xsl:text>
      <xsl:for-each select="source">
        <xsl:if test="position() &gt; 1">; </xsl:if>
        <xsl:value-of select="nb:markdown(.)"/>
      </xsl:for-each>
      <xsl:text>&#10;</xsl:text>
    </xsl:if>
   </piece>
  </xsl:template>

  <!-- A bare number would not show its option. -->
  <xsl:template match="column[@over]">
    <xsl:text> </xsl:text>
    <xsl:if test="string(number(@name)) != 'NaN'">
      <xsl:value-of select="concat(nb:markdown(@over), ' ')"/>
    </xsl:if>
    <xsl:value-of select="nb:markdown(@name)"/>
    <xsl:text> |</xsl:text>
  </xsl:template>

  <xsl:template match="column">
    <xsl:variable name="name">
      <xsl:call-template name="readable">
        <xsl:with-param name="name" select="@name"/>
      </xsl:call-template>
    </xsl:variable>
    <xsl:value-of select="concat(' ', nb:markdown($name))"/>
    <xsl:if test="@unit != '' and @unit != '1'">
      <xsl:value-of select="concat(' (', nb:markdown(@unit), ')')"/>
    </xsl:if>
    <xsl:text> |</xsl:text>
  </xsl:template>

  <!-- The result is text, so its elements do not show. They keep its pieces
       separate; otherwise each addition would copy all text before it. -->
  <xsl:template match="row">
   <piece>
    <xsl:text>|</xsl:text>
    <xsl:for-each select="cell">
      <xsl:variable name="said"><xsl:apply-templates select="." mode="said"/></xsl:variable>
      <xsl:text> </xsl:text>
      <xsl:choose>
        <xsl:when test=". = 'inf'">∞</xsl:when>
        <xsl:when test=". = '-inf'">−∞</xsl:when>
        <xsl:when test=". = '-'">–</xsl:when>
        <!-- Within a row a minus sign does not begin a list. -->
        <xsl:when test="translate(., '0123456789.e+-/', '') = ''">
          <xsl:value-of select="."/>
        </xsl:when>
        <xsl:otherwise><xsl:value-of select="nb:markdown($said)"/></xsl:otherwise>
      </xsl:choose>
      <xsl:text> |</xsl:text>
    </xsl:for-each>
    <xsl:text>&#10;</xsl:text>
   </piece>
  </xsl:template>
</xsl:stylesheet>
