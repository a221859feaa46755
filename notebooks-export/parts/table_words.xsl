<?xml version="1.0" encoding="UTF-8"?>
<!-- Tables for papers: their description in words. Each style sheet defines how
     words are typeset: template words. -->
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

  <!-- The subject of a table, without the report's title. -->
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

  <!-- The report's title, and which of its tables this is unless that is
       obvious. -->
  <xsl:template match="table" mode="caption">
    <xsl:variable name="title" select="normalize-space(../@title)"/>
    <xsl:variable name="subject"><xsl:apply-templates select="." mode="subject"/></xsl:variable>
    <xsl:call-template name="words">
      <xsl:with-param name="text">
        <xsl:choose>
          <xsl:when test="../@shown-tables = 1 and @kind != 'pivot'">
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
  </xsl:template>

  <!-- A cell: names of quantities become readable, the unit 1 is left out. -->
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
