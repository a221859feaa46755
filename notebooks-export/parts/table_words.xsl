<?xml version="1.0" encoding="UTF-8"?>
<!-- Tables for papers: what is said of them in words. A style sheet says how
     words and the values of options are set: templates words and setting. -->
<xsl:stylesheet version="1.0"
    xmlns:xsl="http://www.w3.org/1999/XSL/Transform">

  <!-- worst_case_throughput, capacity_absolute, routing.ties: worst-case
       throughput, absolute capacity, routing ties -->
  <xsl:template name="readable">
    <xsl:param name="name"/>
    <xsl:variable name="stem" select="string-length($name) - string-length('_absolute')"/>
    <xsl:choose>
      <xsl:when test="$stem &gt; 0 and substring($name, $stem + 1) = '_absolute'">
        <xsl:text>absolute </xsl:text>
        <xsl:call-template name="readable">
          <xsl:with-param name="name" select="substring($name, 1, $stem)"/>
        </xsl:call-template>
      </xsl:when>
      <xsl:when test="contains($name, 'worst_case')">
        <xsl:value-of select="translate(substring-before($name, 'worst_case'), '_.', '  ')"/>
        <xsl:text>worst-case</xsl:text>
        <xsl:value-of select="translate(substring-after($name, 'worst_case'), '_.', '  ')"/>
      </xsl:when>
      <xsl:otherwise>
        <!-- Not in " at load 0.2". -->
        <xsl:value-of select="translate($name, concat('_', substring('.', 1, not(contains($name, ' ')))), '  ')"/>
      </xsl:otherwise>
    </xsl:choose>
  </xsl:template>

  <!-- What a table is of, without the report's title. -->
  <xsl:template match="table" mode="subject">
    <xsl:call-template name="readable">
      <xsl:with-param name="name" select="@title"/>
    </xsl:call-template>
  </xsl:template>

  <xsl:template match="table[@kind = 'pivot']" mode="subject">
    <xsl:call-template name="readable">
      <xsl:with-param name="name" select="@name"/>
    </xsl:call-template>
    <xsl:if test="@unit != '' and @unit != '1'">
      <xsl:value-of select="concat(' (', @unit, ')')"/>
    </xsl:if>
  </xsl:template>

  <!-- " by routing and traffic" -->
  <xsl:template match="table" mode="by">
    <xsl:for-each select="column[@swept]/@name | column[@over][1]/@over">
      <xsl:choose>
        <xsl:when test="position() = 1"> by </xsl:when>
        <xsl:when test="position() = last()"> and </xsl:when>
        <xsl:otherwise>, </xsl:otherwise>
      </xsl:choose>
      <xsl:call-template name="option"/>
    </xsl:for-each>
  </xsl:template>

  <!-- delay-model, routing.ties: delay model, routing ties -->
  <xsl:template name="option">
    <xsl:value-of select="translate(., '-.', '  ')"/>
  </xsl:template>

  <!-- " on mesh:6x6, rate 0.5": what was asked, but for what is swept and for
       flags that are not set. -->
  <xsl:template match="report" mode="on">
    <xsl:variable name="network" select="option[@name = 'topology']"/>
    <xsl:if test="$network">
      <xsl:if test="@command != 'topology'"> on</xsl:if>
      <xsl:text> </xsl:text>
      <xsl:call-template name="setting">
        <xsl:with-param name="text" select="$network/@value"/>
      </xsl:call-template>
    </xsl:if>
    <xsl:for-each select="option[@name != 'topology' and @value != 'no']">
      <xsl:choose>
        <xsl:when test="position() = 1 and not($network)"> with </xsl:when>
        <xsl:otherwise>, </xsl:otherwise>
      </xsl:choose>
      <xsl:call-template name="words">
        <xsl:with-param name="text">
          <xsl:for-each select="@name"><xsl:call-template name="option"/></xsl:for-each>
        </xsl:with-param>
      </xsl:call-template>
      <xsl:if test="@value != 'yes'">
        <xsl:text> </xsl:text>
        <xsl:call-template name="setting">
          <xsl:with-param name="text" select="@value"/>
        </xsl:call-template>
      </xsl:if>
    </xsl:for-each>
  </xsl:template>

  <!-- What the numbers are, of a report without a title: the quantities if
       they are few, else what the command is about. -->
  <xsl:template match="table" mode="numbers">
    <xsl:apply-templates select="." mode="subject"/>
  </xsl:template>

  <xsl:template match="table[@kind = 'quantities']" mode="numbers">
    <xsl:variable name="names" select="column[not(@swept) and ../column/@swept]/@name |
                                       row/cell[1][not(../../column/@swept)]"/>
    <xsl:choose>
      <xsl:when test="count($names) &gt; 3">
        <xsl:value-of select="translate(../@command, '-', substring(' -', 1 + (../@command = 'worst-case'), 1))"/>
      </xsl:when>
      <xsl:otherwise>
        <xsl:for-each select="$names">
          <xsl:choose>
            <xsl:when test="position() = 1"/>
            <xsl:when test="position() = last()"> and </xsl:when>
            <xsl:otherwise>, </xsl:otherwise>
          </xsl:choose>
          <xsl:call-template name="readable">
            <xsl:with-param name="name" select="."/>
          </xsl:call-template>
        </xsl:for-each>
      </xsl:otherwise>
    </xsl:choose>
  </xsl:template>

  <!-- The report's title, and of which of its tables it is, where that does
       not go without saying. A title that the model did not give is not for a
       caption, which then tells what the numbers are and what was asked. -->
  <xsl:template match="table" mode="caption">
    <xsl:variable name="report" select=".."/>
    <xsl:variable name="title" select="normalize-space($report/@title)"/>
    <xsl:variable name="subject"><xsl:apply-templates select="." mode="subject"/></xsl:variable>
    <xsl:variable name="is-alone" select="$report/@shown-tables = 1"/>
    <xsl:call-template name="words">
      <xsl:with-param name="text">
        <xsl:choose>
          <xsl:when test="not($report/@titled)">
            <xsl:variable name="numbers"><xsl:apply-templates select="." mode="numbers"/></xsl:variable>
            <xsl:call-template name="capital">
              <xsl:with-param name="text" select="$numbers"/>
            </xsl:call-template>
            <xsl:apply-templates select="." mode="by"/>
          </xsl:when>
          <xsl:when test="$is-alone and @kind != 'pivot'">
            <xsl:value-of select="$title"/>
          </xsl:when>
          <xsl:when test="contains('.?!', substring($title, string-length($title)))">
            <xsl:value-of select="concat($title, ' ')"/>
            <xsl:call-template name="capital">
              <xsl:with-param name="text" select="$subject"/>
            </xsl:call-template>
          </xsl:when>
          <xsl:otherwise>
            <xsl:value-of select="concat($title, ': ', $subject)"/>
          </xsl:otherwise>
        </xsl:choose>
      </xsl:with-param>
    </xsl:call-template>
    <xsl:if test="not($report/@titled)">
      <xsl:apply-templates select="$report" mode="on"/>
    </xsl:if>
  </xsl:template>

  <!-- A cell; names of quantities are readable, the unit 1 is none. -->
  <xsl:template match="cell" mode="said">
    <xsl:value-of select="."/>
  </xsl:template>

  <xsl:template match="table[column[1]/@name = 'quantity']/row/cell[1]" mode="said">
    <xsl:call-template name="readable">
      <xsl:with-param name="name" select="."/>
    </xsl:call-template>
  </xsl:template>

  <xsl:template match="table[column[1]/@name = 'quantity']/row/cell[4][. = '1']" mode="said"/>

  <xsl:template name="capital">
    <xsl:param name="text"/>
    <xsl:value-of select="translate(substring($text, 1, 1),
                          'abcdefghijklmnopqrstuvwxyz',
                          'ABCDEFGHIJKLMNOPQRSTUVWXYZ')"/>
    <xsl:value-of select="substring($text, 2)"/>
  </xsl:template>
</xsl:stylesheet>
