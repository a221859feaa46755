<?xml version="1.0" encoding="UTF-8"?>
<!-- Reports as a Jupyter notebook, format 4.5. If netbound's Python package is
     installed, the notebook asks the question again. Otherwise it uses its own
     data, and needs only Python and matplotlib. nb:python makes Python literals
     of text, nb:json makes JSON of whole cells. -->
<xsl:stylesheet version="1.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform"
                xmlns:view="urn:netbound:view" xmlns:nb="urn:netbound:style"
                exclude-result-prefixes="view nb">
  <view:wants csv="20000" charts="yes" formulas="yes"/>
  <xsl:include href="parts/plot.xsl"/>
  <xsl:output method="text" encoding="UTF-8"/>

  <xsl:template name="cell">
    <xsl:param name="type">code</xsl:param>
    <xsl:param name="id"/>
    <xsl:param name="source"/>
    <xsl:text>,
  {
   "cell_type": "</xsl:text>
    <xsl:value-of select="$type"/>
    <xsl:text>",
   "id": "</xsl:text>
    <xsl:value-of select="$id"/>
    <xsl:text>",
   "metadata": {},
</xsl:text>
    <xsl:if test="$type = 'code'">
      <xsl:text>   "execution_count": null,
   "outputs": [],
</xsl:text>
    </xsl:if>
    <xsl:text>   "source": "</xsl:text>
    <xsl:value-of select="nb:json($source)"/>
    <xsl:text>"
  }</xsl:text>
  </xsl:template>

  <xsl:template match="/view">
    <xsl:text>{
 "cells": [
  {
   "cell_type": "code",
   "id": "functions",
   "metadata": {},
   "execution_count": null,
   "outputs": [],
   "source": "</xsl:text>
    <xsl:value-of select="nb:json($plot)"/>
    <xsl:text>"
  }</xsl:text>
    <xsl:apply-templates select="report"/>
    <xsl:text>
 ],
 "metadata": {
  "kernelspec": {
   "display_name": "Python 3",
   "language": "python",
   "name": "python3"
  },
  "language_info": {
   "name": "python"
  }
 },
 "nbformat": 4,
 "nbformat_minor": 5
}
</xsl:text>
  </xsl:template>

  <xsl:template match="report">
    <xsl:call-template name="cell">
      <xsl:with-param name="type">markdown</xsl:with-param>
      <xsl:with-param name="id" select="@id"/>
      <xsl:with-param name="source">
        <xsl:value-of select="concat('## ', nb:markdown(@title), '&#10;')"/>
        <xsl:value-of select="concat('&#10;', nb:markdown(@question), '&#10;')"/>
        <xsl:value-of select="concat('&#10;', nb:markdown(../@program))"/>
        <xsl:if test="@digest = 'broken'">
          <xsl:text>; **the digest does not fit the report: it was changed**</xsl:text>
        </xsl:if>
        <xsl:text>&#10;</xsl:text>
        <xsl:for-each select="note[not(@name = preceding-sibling::note[1]/@name)]">
          <xsl:value-of select="concat('&#10;* ', nb:markdown(@name), nb:markdown(@place), ': ', nb:markdown(.))"/>
        </xsl:for-each>
      </xsl:with-param>
    </xsl:call-template>
    <xsl:call-template name="cell">
      <xsl:with-param name="id" select="concat(@id, '-new')"/>
      <xsl:with-param name="source">
        <xsl:text>data = {}&#10;answer = ask(</xsl:text>
        <xsl:value-of select="nb:python(@command)"/>
        <xsl:text>, {</xsl:text>
        <xsl:apply-templates select="option" mode="entry"/>
        <xsl:text>},&#10;             sweep={</xsl:text>
        <xsl:apply-templates select="sweep" mode="entry"/>
        <xsl:text>}, seconds=</xsl:text>
        <xsl:value-of select="made/@seconds"/>
        <xsl:if test="not(made/@seconds)">0</xsl:if>
        <xsl:text>)</xsl:text>
      </xsl:with-param>
    </xsl:call-template>
    <xsl:apply-templates select="csv"/>
    <xsl:apply-templates select="chart"/>
    <xsl:if test="citation">
      <xsl:call-template name="cell">
        <xsl:with-param name="type">markdown</xsl:with-param>
        <xsl:with-param name="id" select="concat(@id, '-sources')"/>
        <xsl:with-param name="source">
          <xsl:text>Sources&#10;</xsl:text>
          <xsl:for-each select="citation">
            <xsl:value-of select="concat('&#10;* ', nb:markdown(@key), ': ', nb:markdown(.))"/>
          </xsl:for-each>
        </xsl:with-param>
      </xsl:call-template>
    </xsl:if>
  </xsl:template>

  <!-- An entry of a dictionary, one per line. -->
  <xsl:template match="option | sweep" mode="entry">
    <xsl:value-of select="concat('&#10;    ', nb:python(translate(@name, '-', '_')), ': ',
                                 nb:python(@value), ',')"/>
  </xsl:template>

  <!-- Too long for a notebook. -->
  <xsl:template match="csv[. = '']">
    <xsl:call-template name="cell">
      <xsl:with-param name="type">markdown</xsl:with-param>
      <xsl:with-param name="id" select="concat(../@id, '-csv-', position())"/>
      <xsl:with-param name="source">
        <xsl:value-of select="concat('The table ', nb:markdown(@name), ' of ', @rows, ' rows is left out; `netbound export --to ipynb --table` makes a notebook of it alone.')"/>
      </xsl:with-param>
    </xsl:call-template>
  </xsl:template>

  <xsl:template match="csv">
    <xsl:call-template name="cell">
      <xsl:with-param name="id" select="concat(../@id, '-csv-', position())"/>
      <xsl:with-param name="source">
        <xsl:text>data[</xsl:text>
        <xsl:value-of select="nb:python(@name)"/>
        <xsl:text>] = read(&#10;</xsl:text>
        <xsl:value-of select="nb:python(.)"/>
        <xsl:text>,&#10;    answer, </xsl:text>
        <xsl:choose>
          <xsl:when test="@name = 'quantities'">None</xsl:when>
          <xsl:otherwise><xsl:value-of select="nb:python(@name)"/></xsl:otherwise>
        </xsl:choose>
        <xsl:text>&#10;)&#10;show(data[</xsl:text>
        <xsl:value-of select="nb:python(@name)"/>
        <xsl:text>])</xsl:text>
      </xsl:with-param>
    </xsl:call-template>
  </xsl:template>

  <!-- A picture of a table that the notebook holds as CSV. For a network it
       shows the channel loads in order. -->
  <xsl:template match="chart">
    <xsl:if test="../csv[@name = current()/@data] != ''">
      <xsl:call-template name="cell">
        <xsl:with-param name="id" select="concat(../@id, '-chart-', position())"/>
        <xsl:with-param name="source">
          <xsl:text>plot(data[</xsl:text>
          <xsl:value-of select="nb:python(@data)"/>
          <xsl:text>], kind=</xsl:text>
          <xsl:value-of select="nb:python(@kind)"/>
          <xsl:text>, x=</xsl:text>
          <xsl:value-of select="nb:python(@x)"/>
          <xsl:text>, y=</xsl:text>
          <xsl:value-of select="nb:python(@y)"/>
          <xsl:text>,&#10;     series=</xsl:text>
          <xsl:value-of select="nb:python(@series)"/>
          <xsl:text>, log_x=</xsl:text>
          <xsl:value-of select="nb:python(@log-x)"/>
          <xsl:text>, log_y=</xsl:text>
          <xsl:value-of select="nb:python(@log-y)"/>
          <xsl:if test="at">
            <xsl:text>,&#10;     at={</xsl:text>
            <xsl:for-each select="at">
              <xsl:if test="position() &gt; 1">, </xsl:if>
              <xsl:value-of select="concat(nb:python(@name), ': ', nb:python(@value))"/>
            </xsl:for-each>
            <xsl:text>}</xsl:text>
          </xsl:if>
          <xsl:if test="@value != ''">
            <xsl:value-of select="concat(', of=', nb:python(@value))"/>
          </xsl:if>
          <xsl:if test="@relative = 'yes'">, ratio=True</xsl:if>
          <xsl:text>,&#10;     title=</xsl:text>
          <xsl:value-of select="nb:python(concat(@title, '. ', @of))"/>
          <xsl:text>)</xsl:text>
        </xsl:with-param>
      </xsl:call-template>
    </xsl:if>
  </xsl:template>
</xsl:stylesheet>
